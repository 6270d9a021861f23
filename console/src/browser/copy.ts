/**
 * Copies text to the clipboard, and returns whether this succeeded. Uses `execCommand` as a fallback, because browsers hide the
 * clipboard API on plain HTTP pages.
 */
export async function copyText(value: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(value);
      return true;
    } catch {
      // The fallback may work even without permission for the clipboard API.
    }
  }
  const area = document.createElement('textarea');
  area.value = value;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  // If a dialog is open, the text area is added inside the dialog, because the dialog takes the focus back from elements
  // outside.
  const parent = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const focusedElement = document.activeElement;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focusedElement instanceof HTMLElement) focusedElement.focus();
  return isCopied;
}
