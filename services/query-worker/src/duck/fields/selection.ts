/** Which entries are described: a condition of SQL, with named parameters. */
export interface Selection {
  where: string;
  params: Record<string, string>;
}

/** SQL for their rows in a table with the columns of `entries`. `members`: see `ofPayload`. */
export const rowsOf = ({ where }: Selection, members: string, table = 'entries'): string =>
  `(select *, ${members} as members from ${table} where ${where})`;
