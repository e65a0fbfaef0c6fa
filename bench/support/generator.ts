/** Sends POSTs as fast as possible: each connection sends the next after its answer. */
export interface Shot {
  /** The URL with its path. */
  url: string;
  /** File with one path in a line, used in turn instead of the URL's path. */
  paths?: string;
  /** File with the body. */
  body: string;
  /** The file has one body in a line, used in turn, and with `paths` the one of the same line. */
  inLines?: boolean;
  /** Another body for some percent of the requests; not with `paths` or `inLines`. */
  mixed?: { body: string; percent: number };
  contentType?: string;
  connections: number;
  seconds: number;
}

/** Times in milliseconds. */
export interface Hits {
  seconds: number;
  answers: number;
  /** Answers other than success. */
  refused: number;
  /** Failed connections and time-outs. */
  broken: number;
  p50: number;
  p99: number;
  max: number;
}

export interface Generator {
  /** Name and version. */
  name: string;
  shoot(shot: Shot): Promise<Hits>;
}
