/** A systemd unit that runs a command of ogpu and starts it again when it ends. */

export interface Service {
  readonly description: string;
  /** Words after `ogpu`. */
  readonly words: readonly string[];
  /** How this program is called: Node.js and its main file. */
  readonly program: readonly string[];
  readonly folder: string;
}

/** Words with anything that systemd would read as more than itself are quoted. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word.replaceAll("%", "%%")
    : `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
}

export function serviceFile({ description, words, program, folder }: Service): string {
  return `[Unit]
Description=${description}
After=network-online.target
Wants=network-online.target

[Service]
WorkingDirectory=${folder.replaceAll("%", "%%")}
ExecStart=${[...program, ...words].map(quoted).join(" ")}
Restart=always
RestartSec=2
# A validator that is told to stop finishes what it writes.
TimeoutStopSec=60
LimitNOFILE=65536
NoNewPrivileges=true

[Install]
WantedBy=multi-user.target
`;
}
