import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Children } from '../../local/children.ts';
import type { Generator, Hits, Shot } from './generator.ts';

const script = join(import.meta.dirname, 'post.lua');
const timeoutSeconds = 30;

/** Undefined if wrk is not on the PATH. Its option for the version ends with code 1. */
export function wrkVersion(): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('wrk', ['--version'], (_error, stdout) => resolve(/^wrk \S+/.exec(stdout)?.[0]));
  });
}

/** One thread of wrk is enough for a Node process. */
export function wrkGenerator(version: string, children: Children): Generator {
  let runs = 0;
  return {
    name: version,
    async shoot({ url, connections, seconds, ...content }) {
      const args = [
        ...['--threads', '1', '--connections', String(connections), '--duration', `${Math.ceil(seconds)}s`],
        ...['--timeout', `${timeoutSeconds}s`, '--script', script, url],
        ...['--', ...contentArgs(content)],
      ];
      const child = children.start({
        name: `wrk-${++runs}`,
        command: 'wrk',
        args,
        rank: 4,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [out, complaint, { code, signal }] = await Promise.all([
        text(child.process.stdout as Readable),
        text(child.process.stderr as Readable),
        child.exited,
        once(child.process, 'close'),
      ]);
      const result = out.trim().split('\n').at(-1);
      if (code !== 0 || !result?.startsWith('{'))
        throw new Error(`wrk ended with ${signal ?? code}: ${complaint.trim() || out.trim()}`);
      return JSON.parse(result) as Hits;
    },
  };
}

type Content = Omit<Shot, 'url' | 'connections' | 'seconds'>;

const contentArgs = ({ paths, body, inLines, mixed, contentType = 'application/json' }: Content) => [
  `type=${contentType}`,
  `${inLines ? 'bodies' : 'body'}=${body}`,
  ...(paths ? [`paths=${paths}`] : []),
  ...(mixed ? [`other=${mixed.body}`, `percent=${mixed.percent}`] : []),
];
