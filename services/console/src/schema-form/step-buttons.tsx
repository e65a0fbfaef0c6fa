import { Group } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { Icon } from '../components/icons.tsx';
import { words } from '../words/en.ts';
import type { UndoSteps } from './use-history.ts';

const undoId = 'undo-schema';

/** For an action that ends with the button that began it, and can be undone. Who types meanwhile keeps the focus. */
export function focusUndo(): void {
  if (document.activeElement?.matches('input, textarea, select, [contenteditable="true"]')) return;
  document.getElementById(undoId)?.focus();
}

const typed = 'input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable="true"]';

interface Props {
  steps: UndoSteps;
  /** Of the schema: in inputs elsewhere on the page, the keys are theirs. */
  area: RefObject<HTMLElement | null>;
}

/** Undo and redo, also by keys. */
export function StepButtons({ steps: { undo, redo, canUndo, canRedo }, area }: Props) {
  const byKey = (act: () => void) => (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const isElsewhere = target.matches(typed) && !area.current?.contains(target);
    // What is typed may not be in the schema yet.
    if (isElsewhere || target.closest('[data-typing], [role="dialog"]')) return;
    event.preventDefault();
    act();
  };
  const keys = { preventDefault: false };
  useHotkeys(
    [
      ['mod+Z', byKey(undo), keys],
      ['mod+shift+Z', byKey(redo), keys],
      ['mod+Y', byKey(redo), keys],
    ],
    [],
    true,
  );
  const buttons = [
    { id: undoId, name: 'undo', act: undo, can: canUndo },
    { id: 'redo-schema', name: 'redo', act: redo, can: canRedo },
  ] as const;
  return (
    <Group gap={4} ml="auto" wrap="nowrap">
      {buttons.map(({ id, name, act, can }) => (
        // One that can do nothing keeps the focus.
        <SmallButton
          key={id}
          id={id}
          px={7}
          aria-label={words.form[name]}
          title={words.form[name]}
          onClick={act}
          aria-disabled={!can}
          data-disabled={!can || undefined}
        >
          <Icon name={name} />
        </SmallButton>
      ))}
    </Group>
  );
}
