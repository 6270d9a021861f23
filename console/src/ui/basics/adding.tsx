import { type ReactElement, useState } from 'react';
import { AddButton } from './add-button.js';

/**
 * An add button and the dialog it opens.
 * @param mayAdd without permission there is no button
 * @param isReady false disables the button, for example while the dialog's data loads
 */
export function useAdding(
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
