import { type ReactElement, useState } from 'react';
import { AddButton } from './add-button.js';

/**
 * For a page of which one adds more: the button, and the dialog that it opens while that is open.
 * @param may whether whoever looks may add one; otherwise there is no button
 * @param isReady whether the dialog can be asked for yet
 */
export function useAdding(label: string, may: boolean, dialog: (onClose: () => void) => ReactElement, isReady = true) {
  const [isOpen, setOpen] = useState(false);
  return {
    add: may && (
      <AddButton onClick={() => setOpen(true)} disabled={!isReady}>
        {label}
      </AddButton>
    ),
    dialog: isOpen && dialog(() => setOpen(false)),
  };
}
