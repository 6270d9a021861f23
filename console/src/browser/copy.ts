/**
 * Falls back to `execCommand`, because browsers hide the clipboard API on plain HTTP pages. Returns whether the text was
 * copied.
 */
export async function copyText(value: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(value);
      return true;
    } catch {
      // No permission; the fallback may still work.
    }
  }
  const area = document.createElement('textarea');
  area.value = value;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  // An open dialog takes the focus back from elements outside it, so the text area goes inside.
  const parent = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const focusedElement = document.activeElement;
  parent.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focusedElement instanceof HTMLElement) focusedElement.focus();
  return isCopied;
}
