import { Code } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { type GroupState, type RefusedGroup, stateOf } from '../../api/refused.ts';
import { formatNumber, formatShare } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { mismatchOf } from './expected.ts';
import { keyOf, searchOf } from './group-search.ts';
import { Sparkline } from './sparkline.tsx';
import { type Conforming, useConforming } from './use-conforming.ts';

interface Props {
  groups: RefusedGroup[];
  selected: RefusedGroup | undefined;
}

/** Each state of groups in its place of the list. A group that was just mended stays where it was while it is open. */
function useStates(groups: RefusedGroup[], selected: RefusedGroup | undefined) {
  const [held, setHeld] = useState<{ key: string; state: GroupState }>();
  const key = selected && keyOf(selected);
  if (held?.key !== key) setHeld(selected && key ? { key, state: stateOf(selected) } : undefined);
  const placeOf = (group: RefusedGroup) =>
    held && held.key === key && keyOf(group) === key ? held.state : stateOf(group);
  return (state: GroupState) => groups.filter((group) => placeOf(group) === state);
}

/** Groups that are open, then those that are done, folded. The keys j and k, and the arrows, lead through them. */
export function GroupList({ groups, selected }: Props) {
  const of = useStates(groups, selected);
  const { conformingOf } = useConforming();
  const navigate = useNavigate();
  const list = useRef<HTMLElement>(null);
  const key = selected && keyOf(selected);
  useEffect(() => {
    if (key) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [key]);

  function move(by: number) {
    // Folded groups are not drawn.
    const rows = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a') ?? [])].filter((row) =>
      row.checkVisibility(),
    );
    const at = rows.findIndex((row) => row.ariaCurrent === 'true');
    const next = rows[at < 0 ? 0 : at + by];
    if (!next) return;
    if (list.current?.contains(document.activeElement)) next.focus();
    void navigate({ search: new URL(next.href).search }, { replace: true, preventScrollReset: true });
  }
  function onKeyDown(event: KeyboardEvent) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ]);

  const rows = (state: GroupState) => (
    <ul>
      {of(state).map((group) => (
        <li key={keyOf(group)}>
          <GroupRow group={group} isSelected={keyOf(group) === key} conforming={conformingOf(group)} />
        </li>
      ))}
    </ul>
  );
  const folded = (state: 'resolved' | 'dismissed') =>
    of(state).length > 0 && (
      <details key={state} open={of(state).some((group) => keyOf(group) === key) || undefined}>
        <summary>{words.refused[state](of(state).length)}</summary>
        {rows(state)}
      </details>
    );
  return (
    <nav ref={list} className="groups" aria-label={words.refused.groups} onKeyDown={onKeyDown}>
      {of('open').length === 0 ? <p>{words.refused.noneOpen}</p> : rows('open')}
      {folded('dismissed')}
      {folded('resolved')}
    </nav>
  );
}

interface RowProps {
  group: RefusedGroup;
  isSelected: boolean;
  conforming: Conforming | undefined;
}

function GroupRow({ group, isSelected, conforming }: RowProps) {
  const { template } = useApplication();
  const { count, kept, last_day } = group;
  const { field, expected, got } = mismatchOf(group, template.raw_schema);
  const isLost = group.reason === 'not_json' || group.reason === 'too_large';
  return (
    <Link to={{ search: searchOf(group) }} preventScrollReset aria-current={isSelected || undefined}>
      <span className="what">
        <b>{field}</b> {expected}
        {got && (
          <>
            {' → '}
            <Code>{got}</Code>
          </>
        )}
      </span>
      <b className="count">{formatNumber(count)}</b>
      <small className="more">
        {words.refused[isLost ? 'keptOf' : 'waitingOf'](kept)}
        {conforming && (
          <span title={words.refused.fineTitle(conforming.since)}>
            {words.refused.fine(
              formatShare(Math.floor((conforming.stored / conforming.all) * 1_000) / 1_000),
            )}
          </span>
        )}
        {last_day && <Sparkline counts={last_day} />}
      </small>
    </Link>
  );
}
