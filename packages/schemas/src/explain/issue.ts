export interface Issue {
  /** JSON Pointer into the payload; '' is the payload itself. */
  path: string;
  keyword: string;
  /** The member that the message names, which is missing or must not be there. */
  property?: string;
  message: string;
}

/** All that is told where there was no time to find what is wrong. */
export const unexplained: Issue = {
  path: '',
  keyword: 'unexplained',
  message: 'does not conform to the schema; what is wrong could not be found in time',
};
