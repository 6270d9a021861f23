/** A button of a template, as Meta's Cloud API describes it. */
export interface TemplateButton {
  /** `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE` and others. */
  type: string;
  text?: string;
  url?: string;
}

/** The parts of a template that take parameters or show text. */
export interface TemplateShape {
  header: { format: string; text: string } | null;
  body: string;
  buttons: readonly TemplateButton[];
  /** Lower-case types of the components that are passed on without a look into them, such as `carousel`. */
  otherTypes: ReadonlySet<string>;
}

const LOOKED_INTO = ['header', 'body', 'footer', 'buttons'];

/** An object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Reads the components of a stored template: Meta's `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS", ...}]`. What does not
 * have that form is passed over, for a carrier's templates are not ours to refuse.
 */
export function readComponents(components: unknown): TemplateShape {
  const records = Array.isArray(components) ? components.filter(isRecord) : [];
  const byType = new Map(records.map((record) => [textOf(record.type).toLowerCase(), record]));
  const header = byType.get('header');
  const buttons = byType.get('buttons')?.buttons;
  return {
    header: header ? { format: (textOf(header.format) || 'TEXT').toUpperCase(), text: textOf(header.text) } : null,
    body: textOf(byType.get('body')?.text),
    buttons: (Array.isArray(buttons) ? buttons.filter(isRecord) : []).map((button) => ({
      type: textOf(button.type).toUpperCase(),
      text: textOf(button.text),
      url: textOf(button.url),
    })),
    otherTypes: new Set([...byType.keys()].filter((type) => !LOOKED_INTO.includes(type))),
  };
}
