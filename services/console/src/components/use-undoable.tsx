import { Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { words } from '../words/en.ts';
import { SmallButton } from './buttons.tsx';
import { useAct } from './use-act.ts';

const undoMs = 6_000;

/** Acts after some seconds, in which a message offers to undo it; so does closing the tab. */
export function useUndoable(act: () => Promise<unknown>, said: string) {
  const { mutate } = useAct(act);
  const [isUnderWay, setUnderWay] = useState(false);
  function begin(): void {
    setUnderWay(true);
    const timer = setTimeout(() => {
      mutate(undefined, { onError: () => setUnderWay(false) });
    }, undoMs);
    const id = notifications.show({
      autoClose: undoMs,
      withCloseButton: false,
      message: (
        <Group justify="space-between">
          {said}
          <SmallButton
            onClick={() => {
              clearTimeout(timer);
              setUnderWay(false);
              notifications.hide(id);
            }}
          >
            {words.common.undo}
          </SmallButton>
        </Group>
      ),
    });
  }
  return { isUnderWay, begin };
}
