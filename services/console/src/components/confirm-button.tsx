import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { words } from '../words/en.ts';

interface Action {
  label: string;
  /** What the action does, to be read before it is done. */
  question: string;
  color?: string | undefined;
  onConfirm: () => void;
}

interface DialogProps extends Action {
  title: string;
  opened: boolean;
  close: () => void;
}

/** Asks before what cannot be undone. */
export function ConfirmDialog({ title, opened, close, label, question, color, onConfirm }: DialogProps) {
  function confirm() {
    close();
    onConfirm();
  }

  return (
    <Modal
      {...{ title, opened }}
      onClose={close}
      // It would add a style without the nonce of the page.
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.common.close }}
    >
      <Text size="sm" mb="md">
        {question}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {words.common.cancel}
        </Button>
        <Button color={color} onClick={confirm}>
          {label}
        </Button>
      </Group>
    </Modal>
  );
}

interface ButtonProps extends Action {
  'aria-label': string;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmButton({ 'aria-label': title, ...action }: ButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="xs" variant="default" c={action.color} onClick={open} aria-label={title}>
        {action.label}
      </Button>
      <ConfirmDialog {...{ title, opened, close }} {...action} />
    </>
  );
}
