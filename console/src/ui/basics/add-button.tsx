import { Button } from '@mantine/core';
import { Icon } from './icons.js';

interface AddButtonProps {
  children: string;
  onClick(): void;
  disabled?: boolean;
}

export function AddButton(props: AddButtonProps) {
  return <Button leftSection={<Icon name="plus" size={16} />} {...props} />;
}
