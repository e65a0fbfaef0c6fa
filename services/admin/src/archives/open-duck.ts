import { join } from 'node:path';

export type Duck = Awaited<ReturnType<typeof openDuck>>;

/** A database of its own below `folder`, which takes what does not fit into little memory. */
export async function openDuck(folder: string) {
  // Only the commands of archives load its 70 MB.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(join(folder, 'work.duckdb'), {
    threads: '1',
    memory_limit: '400MB',
    temp_directory: join(folder, 'spilled'),
    // Files are copied to the same name one after the other, and parts of an earlier one would be served.
    enable_external_file_cache: 'false',
  });
  const connection = await instance.connect();

  return {
    async run(sql: string): Promise<void> {
      await connection.run(sql);
    },
    async rows(sql: string): Promise<Record<string, unknown>[]> {
      return (await connection.runAndReadAll(sql)).getRowObjectsJS();
    },
    /** Adds rows of texts to a table. */
    async append(table: string, rows: AsyncIterable<string[]>): Promise<void> {
      const appender = await connection.createAppender(table);
      let waiting = 0;
      for await (const row of rows) {
        for (const text of row) appender.appendVarchar(text);
        appender.endRow();
        waiting += 1;
        if (waiting % 50_000 === 0) appender.flushSync();
      }
      appender.closeSync();
    },
    close(): void {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
