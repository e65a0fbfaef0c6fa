/** As many POSTs as the connections can, each sending the next when it has its answer. */
export interface Shot {
  /** Of a whole request, path included. */
  url: string;
  /** File with paths, one a line, to be used in turn instead of that of the URL. */
  paths?: string | undefined;
  /** File with the body. */
  body: string;
  /** Another body, which so many percent of the requests have; not beside `paths`. */
  mixed?: { body: string; percent: number };
  contentType?: string;
  connections: number;
  seconds: number;
}

/** Times in milliseconds. */
export interface Hits {
  seconds: number;
  answers: number;
  /** Answers that were no success. */
  refused: number;
  /** Connections that failed, and time-outs. */
  broken: number;
  p50: number;
  p99: number;
  max: number;
}

export interface Generator {
  /** With its version. */
  name: string;
  shoot(shot: Shot): Promise<Hits>;
}
