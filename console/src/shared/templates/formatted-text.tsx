import { Fragment, type ReactNode } from 'react';

const CODE = /(```[\s\S]+?```|`[^`\n]+`)/g;
const MARKS = /((?<!\w)(?:\*[^*\n]+\*|_[^_\n]+_|~[^~\n]+~)(?!\w))/g;

/** Renders WhatsApp's formatting: *bold*, _italic_, ~strikethrough~ and ```monospace```. */
export function formatText(body: string): ReactNode {
  return body.split(CODE).map((part, index) => {
    // The parts of a text are never reordered.
    const key = index;
    if (index % 2 === 0) return <Fragment key={key}>{formatEmphasis(part)}</Fragment>;
    return <code key={key}>{part.replace(/^(`{3}|`)|(`{3}|`)$/g, '')}</code>;
  });
}

/** The function is recursive, because formatting can be nested: *_both_*. */
function formatEmphasis(text: string): ReactNode {
  return text.split(MARKS).map((part, index) => {
    const key = index;
    if (index % 2 === 0) return <Fragment key={key}>{part}</Fragment>;
    const inner = formatEmphasis(part.slice(1, -1));
    if (part.startsWith('*')) return <strong key={key}>{inner}</strong>;
    return part.startsWith('_') ? <em key={key}>{inner}</em> : <s key={key}>{inner}</s>;
  });
}
