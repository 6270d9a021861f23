import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';
import { ConfirmButton } from './confirm-button.js';

interface DeleteButtonProps {
  name: string;
  words: { deleteTitle(name: string): string; deleteConsequence: string; deleteConfirm: string };
  onDelete(): Promise<unknown>;
}

export function DeleteButton({ name, words, onDelete }: DeleteButtonProps) {
  return (
    <ConfirmButton
      title={words.deleteTitle(name)}
      consequence={words.deleteConsequence}
      confirm={words.deleteConfirm}
      onConfirm={onDelete}
      leftSection={<Icon name="trash" size={16} />}
    >
      {text.common.delete}
    </ConfirmButton>
  );
}
