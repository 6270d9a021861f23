import { type ReactElement, useState } from 'react';
import { AddButton } from './add-button.js';

export function useAddDialog(
  label: string,
  mayAdd: boolean,
  dialog: (onClose: () => void) => ReactElement,
  isReady = true,
) {
  const [isOpen, setOpen] = useState(false);
  return {
    add: mayAdd && (
      <AddButton onClick={() => setOpen(true)} disabled={!isReady}>
        {label}
      </AddButton>
    ),
    dialog: isOpen && dialog(() => setOpen(false)),
  };
}
