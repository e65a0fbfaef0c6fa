/** One line of what a process answers to a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scraped {
  text: string;
  samples: Sample[];
  /** Of the one series with these labels, and no others but these; undefined when there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

/** Asks for metrics, and reads the text format of Prometheus strictly. */
export async function scrape(url: string, token?: string): Promise<Scraped> {
  const response = await fetch(`${url}/metrics`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = lines.map((line) => {
    const [, name = '', inside = '', value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === '') throw new Error(`no sample: ${line}`);
    const labels = Array.from(inside.matchAll(/(\w+)="([^"]*)"/g), ([, key, label]) => [key, label]);
    return { name, labels: Object.fromEntries(labels), value: Number(value) };
  });
  return {
    text,
    samples,
    value(name, labels = {}) {
      const isMeant = (sample: Sample) =>
        sample.name === name &&
        Object.keys(sample.labels).length === Object.keys(labels).length &&
        Object.entries(labels).every(([key, label]) => sample.labels[key] === label);
      return samples.find(isMeant)?.value;
    },
  };
}
