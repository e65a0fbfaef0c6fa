/** Lines in a square of 16. */
const paths = {
  overview: 'M2 2.5h5v5.5H2zM9 2.5h5v3H9zM9 8h5v5.5H9zM2 10.5h5v3H2z',
  entries: 'M2 3h12v10H2zM2 6.5h12M6 6.5V13',
  views: 'M4.5 2.5h7v11L8 10.8l-3.5 2.7z',
  ask: 'M2 2.5h12v8.5H8.5L5 14v-3H2zM5 6h6M5 8.2h4',
  refused: 'M8 2 14.5 13.5h-13zM8 6.5v3.5M8 12v.1',
  schema: 'M6 2.5C4 2.5 5 7 3 8c2 1 1 5.5 3 5.5M10 2.5c2 0 1 4.5 3 5.5-2 1-1 5.5-3 5.5',
  send: 'M14 2 7 9M14 2l-4.5 12L7 9 2 6.5z',
  jobs: 'M5 13V3M2.5 5.5 5 3l2.5 2.5M11 3v10M8.5 10.5 11 13l2.5-2.5',
  archive: 'M2 3h12v3H2zM3 6v7h10V6M6.5 8.5h3',
  activity: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.5V8l2.5 1.5',
  settings: 'M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M10.7 3v3M5.2 10v3',
  menu: 'M2 4h12M2 8h12M2 12h12',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3 14 14',
  switch: 'M5 6l3-3 3 3M5 10l3 3 3-3',
  plus: 'M8 3v10M3 8h10',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a3.75 3.75 0 0 1 0 7.5H6',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a3.75 3.75 0 0 0 0 7.5H10',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  list: 'M2 4h.1M5 4h9M2 8h.1M5 8h9M2 12h.1M5 12h9',
} as const;

type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
