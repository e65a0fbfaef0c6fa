const most = 20;

/** What it takes to do the chunks of a job, kept from chunk to chunk. */
export function createOncePerJob<Value>() {
  const values = new Map<string, Promise<Value>>();

  return (job: string, load: () => Promise<Value>): Promise<Value> => {
    const known = values.get(job);
    if (known) return known;
    const value = load();
    // One that fails is not kept.
    value.catch(() => values.delete(job));
    values.set(job, value);
    const [oldest] = values.keys();
    if (values.size > most && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
