/** How the oracle runs the uploader of a language. */
export interface Language {
  name: 'typescript' | 'python' | 'go' | 'java' | 'rust';
  /** In MiB: what the program may need when its uploader holds 32 MiB. */
  mostMemory: number;
  /** Its own poison, by name, in the order of the program; and who tells of it: `send`, or the name of the refusal. */
  poison: Record<string, string>;
  /**
   * What the program prints when the callback of -1 sends an entry of 9 MiB with -100, flushes and closes. It prints
   * `-101 flush and close` if both fail. TypeScript need not wait there, and Go cannot.
   */
  inCallback: string[];
  /** Writes the client beside a program, and compiles them with warnings as errors. Returns the command that is the program itself. */
  prepare(folder: string, client: Client): Promise<string[]>;
  /** The same for a program without the client, which sends a request for each entry: for `throughput.ts`. */
  preparePlain(folder: string): Promise<string[]>;
}

/** The file that users download. */
export interface Client {
  file: string;
  text: string;
}

/** What a program is told, in this order. */
export interface Task {
  url: string;
  /** A folder, or `-` for none. */
  spool: string;
  /** The program appends `n` and a newline by one write after each `send` that returned; `-` for nowhere. */
  progress: string;
  /** It sends the entries `{n, text}` from this `n`, one `send` after the other. */
  from: number;
  /** To this `n`; none if it is less. Then it closes the uploader and exits with 0, or prints the error and exits with 1. */
  to: number;
  /** The length of each `text`. */
  characters: number;
  /** Limits of the uploader: bytes held, and lines of a batch. */
  heldBytes: number;
  batchLines: number;
  /** How long `close` waits for answers. */
  closeSeconds: number;
  /** `yes`: it sends poison between the entries, as `poison.ts` says; `-` for none. */
  poison: 'yes' | '-';
  /** An ingest key for the uploader, which then prints `missing` and what `verify` returns before it closes; `-` for none. */
  key: string;
  /** The application. */
  domain: string;
}
