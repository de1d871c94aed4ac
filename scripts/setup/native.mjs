/**
 * Native packages come prebuilt. Whether they load is found out here, in a process of its own each (a binary for
 * another processor kills the process that calls it), and not in the middle of a run.
 */
import { SetupError } from "./failure.mjs";
import { wantedInstall } from "./install.mjs";
import { at, ROOT } from "./paths.mjs";
import { runProgram } from "./run-program.mjs";
import { digest, stampIs, writeStamp } from "./stamp.mjs";

const STAMP = at("node_modules/.opengpu-native");

/** `probe` calls into the native code; it fails if that does not work. `without`: what then happens, if we can go on. */
const PACKAGES = [
  {
    name: "classic-level",
    probe: "require('classic-level').ClassicLevel.destroy('./node_modules/.opengpu-probe')",
  },
  {
    name: "secp256k1",
    probe: "require('secp256k1/bindings').privateKeyVerify(new Uint8Array(32).fill(1)) || process.exit(1)",
    without: "signatures are checked in JavaScript, about 30 times slower",
  },
  {
    name: "@chainsafe/blst",
    probe: "require('@chainsafe/blst').SecretKey.fromKeygen(new Uint8Array(32).fill(1)).toPublicKey()",
    without: "BLS signatures are checked in JavaScript, many times slower",
  },
  {
    name: "@chainsafe/hashtree",
    probe: "require('@chainsafe/hashtree').hash(new Uint8Array(64))",
    without: "the state tree is hashed in JavaScript, many times slower",
  },
];

function wanted() {
  return digest(`${wantedInstall()} ${process.version}`);
}

export function nativeCheckIsCurrent() {
  return stampIs(STAMP, wanted());
}

export async function checkNativePackages() {
  const results = await Promise.all(PACKAGES.map(check));
  for (const { name, without, reason } of results.filter((result) => result.reason !== undefined)) {
    if (without === undefined) {
      throw new SetupError(
        `the native package ${name} does not load on ${process.platform} ${process.arch}: ${reason}`,
        "Use a platform it has binaries for (Linux, macOS or Windows on x64 or arm64), or delete node_modules and try again.",
      );
    }
    console.warn(`set-up: warning: ${name} does not load here (${reason}): ${without}`);
  }
  writeStamp(STAMP, wanted());
}

async function check({ name, probe, without }) {
  const { code, output } = await runProgram(process.execPath, ["-e", probe], { cwd: ROOT });
  if (code === 0) return { name, without };
  const reason = /^\w*Error: (.*)$/m.exec(output)?.[1] ?? `ended with ${code}`;
  return { name, without, reason };
}
