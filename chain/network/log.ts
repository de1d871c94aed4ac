/** Where the network says what happens. A pino logger fits. */
export interface NetworkLog {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  /** Our own bugs, too. */
  error(data: object, message: string): void;
}

export const SILENT_LOG: NetworkLog = { debug() {}, info() {}, warn() {}, error() {} };
