/** Which entries are described: a condition of SQL, with named parameters. */
export interface RowSelection {
  where: string;
  params: Record<string, string>;
}

/** SQL for their rows in a table with the columns of `entries`. `members`: see `ofPayload`. */
export const rowsOf = ({ where }: RowSelection, members: string, table = 'entries'): string =>
  `(select *, ${members} as members from ${table} where ${where})`;
