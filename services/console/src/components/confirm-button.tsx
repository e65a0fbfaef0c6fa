import { Button, type ButtonVariant, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { words } from '../words/en.ts';
import { SmallButton } from './buttons.tsx';
import { useAct } from './use-act.ts';

interface DialogProps {
  title: string;
  question: string;
  /** Of the button that confirms. */
  label: string;
  color?: string;
  opened: boolean;
  close: () => void;
  /** Undefined while it is not known what would happen. */
  onConfirm: (() => void) | undefined;
}

export function ConfirmDialog({ title, opened, close, label, question, color, onConfirm }: DialogProps) {
  return (
    <Modal {...{ title, opened }} onClose={close}>
      <Text mb="md">{question}</Text>
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

interface ButtonProps extends Pick<DialogProps, 'title' | 'question' | 'label' | 'color'> {
  /** Of the button in the dialog; as of the one that opens it. */
  confirm?: string;
  variant?: ButtonVariant;
  act: () => Promise<unknown>;
}

/** A button whose action cannot be undone: a dialog asks first. `title` says on what it acts. */
export function ConfirmButton({ act, label, confirm = label, variant, ...dialog }: ButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const { mutate, isPending } = useAct(act);
  return (
    <>
      <SmallButton
        {...(variant && { variant })}
        c={dialog.color}
        loading={isPending}
        onClick={open}
        aria-label={dialog.title}
      >
        {label}
      </SmallButton>
      <ConfirmDialog {...{ opened, close }} {...dialog} label={confirm} onConfirm={mutate} />
    </>
  );
}
