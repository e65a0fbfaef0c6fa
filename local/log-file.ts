import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

const mostBytes = 50 * 1024 ** 2;
const tailBytes = 64 * 1024;

export interface LogFile {
  path: string;
  /** The file descriptor for a child process. */
  fd: number;
  close(): void;
  /** The text since the log was opened, at most the last 64 KiB. */
  tail(): string;
}

/** Opens a log to append to. A log over 50 MB is emptied first. */
export function openLog(path: string): LogFile {
  const fd = openSync(path, 'a+', 0o600);
  if (fstatSync(fd).size > mostBytes) ftruncateSync(fd);
  const opened = fstatSync(fd).size;
  return {
    path,
    fd,
    close: () => closeSync(fd),
    tail() {
      const end = fstatSync(fd).size;
      const from = Math.max(opened, end - tailBytes);
      const buffer = Buffer.alloc(Math.max(0, end - from));
      readSync(fd, buffer, 0, buffer.length, from);
      return buffer.toString();
    },
  };
}
