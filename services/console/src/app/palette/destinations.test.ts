import { expect, it } from 'vitest';
import type { Application } from '../../api/applications.ts';
import { findDestinations } from './destinations.ts';

const applications = [
  { name: 'Weather', domain: 'weather-1', role: 'owner' },
  { name: 'Traffic', domain: 'traffic-2', role: 'editor' },
  { name: 'Rivers', domain: 'rivers-3', role: 'reader' },
] as Application[];

const find = (search: string, open?: string) =>
  findDestinations(applications, open, search).map(({ to }) => to);

it('offers the sections of the open application first', () => {
  expect(find('', 'weather-1').slice(0, 3)).toEqual([
    '/applications/weather-1/overview',
    '/applications/weather-1/entries',
    '/applications/weather-1/ask',
  ]);
  expect(find('', 'weather-1')).toContain('/applications/traffic-2');
});

it('finds a section of another application by parts of both names', () => {
  expect(find('traf sch', 'weather-1')).toEqual(['/applications/traffic-2/schema']);
});

it('offers a reader only what a reader may do', () => {
  expect(find('rivers /').map((to) => to.split('/').at(-1))).toEqual([
    'overview',
    'entries',
    'ask',
    'schema',
    'send',
    'jobs',
    'activity',
    'settings',
  ]);
  expect(find('new imp', 'rivers-3')).toEqual([]);
});

it('leads to an entry of the open application by its id', () => {
  const id = '0192f0c1a2b30a0b0c0d00000001';
  expect(find(` ${id.toUpperCase()}`, 'weather-1')).toEqual([`/applications/weather-1/entries?entry=${id}`]);
  expect(find(id)).toEqual([]);
});

it('finds actions and pages', () => {
  expect(find('new exp', 'weather-1')).toEqual(['/applications/weather-1/jobs?new=export']);
  expect(find('audit')).toEqual(['/audit']);
  expect(find('dark')).toEqual(['#dark']);
  expect(find('nowhere')).toEqual([]);
});
