import { type FormCondition, type Operator, operatorsOf, textsOf } from './conditions.ts';
import { hasEnd, type Last, lasts } from './period.ts';

/** By the values of a field, given by its JSON Pointer. */
export interface ViewSort {
  pointer: string;
  descending: boolean;
}

/** What the page of entries shows: all of it is in its address. */
export interface View {
  /** The period before now. The bounds lie over it, and leave it to come back to. */
  last: Last;
  from?: string | undefined;
  to?: string | undefined;
  conditions: FormCondition[];
  /** Filters of the address that are no conditions, as they are written there. */
  unread: string[];
  /** JSON Pointers; undefined: the first fields of the schema. */
  columns?: string[] | undefined;
  order: 'newest' | 'oldest';
  /** In place of the order of time. */
  sort?: ViewSort | undefined;
  /** The cursor of the page before; without one where a field sorts. */
  after?: string | undefined;
  /** How many entries are on the pages before. */
  start: number;
  /** The JSON Pointer of the field whose values the chart tells apart. */
  by?: string | undefined;
  /** The id of the open entry. */
  entry?: string | undefined;
  isLive: boolean;
}

const operators = new Set<string>(Object.values(operatorsOf).flat());

// A JSON Pointer has no `~` but those of `~0` and `~1`.
const toText = ({ operator, pointer, text }: FormCondition) =>
  `${operator}:${pointer.replaceAll(':', '~2')}:${text}`;

function toCondition(written: string): FormCondition | undefined {
  const [, operator = '', pointer = '', text = ''] = /^(\w+):(\/[^:]*):(.*)$/s.exec(written) ?? [];
  if (!operators.has(operator)) return undefined;
  const condition = { operator: operator as Operator, pointer: pointer.replaceAll('~2', ':'), text };
  return textsOf(condition).length > 0 ? condition : undefined;
}

function toTime(text: string | null): string | undefined {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function toSort(text: string): ViewSort | undefined {
  const [, minus, pointer] = /^(-?)(\/.*)$/s.exec(text) ?? [];
  return pointer === undefined ? undefined : { pointer, descending: minus === '-' };
}

/** As the API takes it. */
export const fromSort = ({ pointer, descending }: ViewSort): string => `${descending ? '-' : ''}${pointer}`;

function toStart(text: string | null): number {
  const start = Number(text);
  return Number.isSafeInteger(start) && start > 0 ? start : 0;
}

/** The view of an address. What cannot be read is left out, but filters: without them, more would be selected. */
export function toView(params: URLSearchParams): View {
  const last = params.get('last') ?? '';
  const columns = params.getAll('column');
  const filters = params.getAll('filter');
  return {
    last: Object.hasOwn(lasts, last) ? (last as Last) : 'all',
    from: toTime(params.get('from')),
    to: toTime(params.get('to')),
    conditions: filters.map(toCondition).filter((condition) => condition !== undefined),
    unread: filters.filter((written) => !toCondition(written)),
    columns: columns.length > 0 ? columns.filter((pointer) => pointer.startsWith('/')) : undefined,
    order: params.get('order') === 'oldest' ? 'oldest' : 'newest',
    sort: toSort(params.get('sort') ?? ''),
    after: params.get('after') || undefined,
    start: toStart(params.get('start')),
    by: params.get('by')?.startsWith('/') ? (params.get('by') as string) : undefined,
    entry: params.get('entry') || undefined,
    isLive: params.get('live') === 'on',
  };
}

export const usualView: View = toView(new URLSearchParams());

/** The reverse of `toView`. Whatever is as usual is left out. */
export function toParams(view: View): URLSearchParams {
  const { last, from, to, conditions, unread, columns, order, sort, after, start, by, entry, isLive } = view;
  return new URLSearchParams([
    ...(last === 'all' ? [] : [['last', last]]),
    ...(from ? [['from', from]] : []),
    ...(to ? [['to', to]] : []),
    ...conditions.map((condition) => ['filter', toText(condition)]),
    ...unread.map((written) => ['filter', written]),
    // No column at all is one without a name.
    ...(columns?.length === 0 ? [''] : (columns ?? [])).map((pointer) => ['column', pointer]),
    ...(order === 'oldest' ? [['order', order]] : []),
    ...(sort ? [['sort', fromSort(sort)]] : []),
    ...(after ? [['after', after]] : []),
    ...(start > 0 ? [['start', String(start)]] : []),
    ...(by ? [['by', by]] : []),
    ...(entry ? [['entry', entry]] : []),
    ...(isLive ? [['live', 'on']] : []),
  ]);
}

/** The path of the form that exports what a view selects: it knows nothing of pages and the open entry. */
export const exportPath = (domain: string, { last, from, to, conditions, columns }: View): string =>
  `/applications/${domain}/jobs?new=export&${toParams({ ...usualView, last, from, to, conditions, columns })}`;

/** Why new entries cannot come by themselves: a place in the words. Undefined if they can. */
export function whyNotLive(view: View) {
  if (hasEnd(view)) return 'period';
  if (view.sort || view.order === 'oldest') return 'order';
  return view.start > 0 || view.after ? 'page' : undefined;
}
