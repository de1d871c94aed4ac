/** The process environment, read here and nowhere else; commands see it through their options' `env`. */

export interface Config {
  /** OGPU_DEBUG: print stack traces. */
  readonly debug: boolean;
  /** The value of an environment variable; the empty string counts as not set. */
  variable(name: string): string | undefined;
}

export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const variable = (name: string): string | undefined => env[name] || undefined;
  const debug = variable("OGPU_DEBUG");
  return { debug: debug !== undefined && debug !== "0", variable };
}
