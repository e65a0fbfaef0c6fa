export interface Issue {
  /** JSON Pointer into the payload; '' is the payload itself. */
  path: string;
  keyword: string;
  /** The member that the message names, which is missing or must not be there. */
  property?: string;
  message: string;
}
