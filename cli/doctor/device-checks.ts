/** What of the machine can compute. */
import { findDevices } from "../../compute/device/find-devices.ts";
import { type Finding, look, ok } from "./finding.ts";

export function checkDevices(): readonly Finding[] {
  const { devices, notices } = findDevices();
  return [
    ...devices.map(({ name }) => ok("device", name)),
    ...notices.map((notice) =>
      look(
        "device",
        notice,
        notice.startsWith("no GPU")
          ? "Jobs run on the processor. For a GPU, install NVIDIA's driver, then: ogpu compute selftest"
          : "Install a C++ compiler and run `npm run setup`, for native speed.",
      ),
    ),
  ];
}
