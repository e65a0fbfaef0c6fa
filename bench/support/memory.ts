import { figure } from './table.ts';

export const megabytes = (bytes: number) => figure(bytes / 1e6);
