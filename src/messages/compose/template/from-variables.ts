import type { TemplateComponent, TemplateParameter } from '../../../carriers/content.js';
import { isPosition, placeholderKeys } from '../../../carriers/template-placeholders.js';
import { readComponents } from './components.js';

/** What fills a template, by number or name. */
export type TemplateVariables = Readonly<Record<string, string>>;

/** Name of the variable that is the address of a header's file, in a template whose placeholders have names. */
const HEADER = 'header';

/**
 * The components of a send, made of one list of variables. Placeholders with names take theirs by name. Those with numbers are
 * counted through the whole template, in the order in which it is read: header (a file counts as one), body, and the buttons
 * that take something. A code that a button copies or fills in is that of the body.
 * @param template Meta's components as stored
 */
export function componentsFromVariables(template: unknown, variables: TemplateVariables): TemplateComponent[] {
  const shape = readComponents(template);
  const isNamed = [shape.header?.text ?? '', shape.body].some((text) =>
    placeholderKeys(text).some((key) => !isPosition(key)),
  );
  let count = 0;
  const next = () => variables[String(++count)];
  /** Those with numbers go by their place, so a list ends before the first that lacks its variable. */
  const parametersOf = (text: string): TemplateParameter[] => {
    const keys = placeholderKeys(text);
    if (keys.some((key) => !isPosition(key))) {
      return keys.flatMap((key) => {
        const value = variables[key];
        return value === undefined ? [] : [{ type: 'text', parameter_name: key, text: value }];
      });
    }
    const places = keys.length === 0 ? 0 : Math.max(...keys.map(Number));
    const values = Array.from({ length: places }, next);
    const missing = values.indexOf(undefined);
    return (missing === -1 ? values : values.slice(0, missing)).map((value) => ({
      type: 'text',
      text: value as string,
    }));
  };

  const components: TemplateComponent[] = [];
  const add = (component: TemplateComponent) => {
    if (component.parameters?.length) components.push(component);
  };
  const { header } = shape;
  if (header?.format === 'TEXT') add({ type: 'header', parameters: parametersOf(header.text) });
  else if (header && ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(header.format)) {
    const type = header.format.toLowerCase();
    const link = isNamed ? variables[HEADER] : next();
    if (link !== undefined) add({ type: 'header', parameters: [{ type, [type]: { link } }] });
  }
  const body = parametersOf(shape.body);
  add({ type: 'body', parameters: body });
  for (const [index, { type, url }] of shape.buttons.entries()) {
    const button = (subType: string, parameters: TemplateParameter[]) =>
      add({ type: 'button', sub_type: subType, index: String(index), parameters });
    if (type === 'OTP')
      button(
        'url',
        body.slice(0, 1).map(({ text }) => ({ type: 'text', text: text ?? '' })),
      );
    else if (type === 'URL') button('url', parametersOf(url));
    else if (type === 'COPY_CODE') {
      const code = next();
      if (code !== undefined) button('copy_code', [{ type: 'coupon_code', coupon_code: code }]);
    }
  }
  return components;
}
