import { Button } from '@mantine/core';

export const SmallButton = Button.withProps({ variant: 'default' });
export const SubmitButton = Button.withProps({ type: 'submit' });
