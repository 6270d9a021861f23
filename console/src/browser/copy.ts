/** Puts a text into the clipboard, also where the page came over plain HTTP and the browser keeps its API to itself. */
export async function copyText(value: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(value);
      return true;
    } catch {
      // Not allowed: the old way may be.
    }
  }
  const area = document.createElement('textarea');
  area.value = value;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  // Inside an open dialog, which would take the focus back from anything outside.
  const parent = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const focused = document.activeElement;
  parent.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
