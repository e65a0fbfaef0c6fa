import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { words } from '../words/en.ts';

interface Props {
  label: string;
  'aria-label': string;
  /** What the action does, to be read before it is done. */
  question: string;
  color?: string;
  onConfirm: () => void;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmButton({ label, question, color, onConfirm, ...aria }: Props) {
  const [isOpen, { open, close }] = useDisclosure();

  function confirm() {
    close();
    onConfirm();
  }

  return (
    <>
      <Button size="xs" variant="default" c={color} onClick={open} {...aria}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={aria['aria-label']}
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
    </>
  );
}
