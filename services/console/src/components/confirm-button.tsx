import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { words } from '../words/en.ts';
import { SmallButton } from './buttons.tsx';

interface Action {
  label: string;
  question: string;
  color?: string;
  onConfirm: () => void;
}

interface DialogProps extends Omit<Action, 'onConfirm'> {
  title: string;
  opened: boolean;
  close: () => void;
  /** Undefined while it is not known what would happen. */
  onConfirm: Action['onConfirm'] | undefined;
}

export function ConfirmDialog({ title, opened, close, label, question, color, onConfirm }: DialogProps) {
  return (
    <Modal {...{ title, opened }} onClose={close}>
      <Text size="sm" mb="md">
        {question}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {words.common.cancel}
        </Button>
        <Button
          color={color}
          disabled={!onConfirm}
          onClick={() => {
            close();
            onConfirm?.();
          }}
        >
          {label}
        </Button>
      </Group>
    </Modal>
  );
}

/** A button whose action cannot be undone: a dialog asks first. `title` says on what it acts. */
export function ConfirmButton({ title, ...action }: Action & { title: string }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <SmallButton c={action.color} onClick={open} aria-label={title}>
        {action.label}
      </SmallButton>
      <ConfirmDialog {...{ title, opened, close }} {...action} />
    </>
  );
}
