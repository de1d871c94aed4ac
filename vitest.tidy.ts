import { defineConfig } from "vitest/config";

/** The rules of the source tree alone, for `npm run check`; `npm test` runs them with everything else. */
export default defineConfig({ test: { include: ["test/tidy/**/*.test.ts"] } });
