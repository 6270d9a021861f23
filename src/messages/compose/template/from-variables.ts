import type { TemplateComponent, TemplateParameter } from '../../../carriers/content.js';
import { isPositionKey, listPlaceholderKeys } from '../../../carriers/template-placeholders.js';
import { readComponents } from './components.js';

/** Values of template variables by placeholder number or name. */
export type TemplateVariables = Readonly<Record<string, string>>;

/** Name of the variable with the URL of the header's file, in templates with named placeholders. */
const HEADER = 'header';

/**
 * Placeholders are numbered consecutively across the header (in which a file counts as a placeholder), the body, and the
 * buttons with parameters. A one-time password button uses the code from the body.
 * @param template Meta's components as stored
 */
export function componentsFromVariables(template: unknown, variables: TemplateVariables): TemplateComponent[] {
  const shape = readComponents(template);
  const isNamed = [shape.header?.text ?? '', shape.body].some((text) =>
    listPlaceholderKeys(text).some((key) => !isPositionKey(key)),
  );
  let position = 0;
  const readNext = () => variables[String(++position)];
  // Numbered parameters are positional, so the list ends before the first missing variable.
  const toParameters = (text: string): TemplateParameter[] => {
    const keys = listPlaceholderKeys(text);
    if (keys.some((key) => !isPositionKey(key))) {
      return keys.flatMap((key) => {
        const value = variables[key];
        return value === undefined ? [] : [{ type: 'text', parameter_name: key, text: value }];
      });
    }
    const parameterCount = keys.length === 0 ? 0 : Math.max(...keys.map(Number));
    const values = Array.from({ length: parameterCount }, readNext);
    const missing = values.indexOf(undefined);
    return (missing === -1 ? values : values.slice(0, missing)).map((value) => ({
      type: 'text',
      text: value as string,
    }));
  };

  const components: TemplateComponent[] = [];
  const addComponent = (component: TemplateComponent) => {
    if (component.parameters?.length) components.push(component);
  };
  const { header } = shape;
  if (header?.format === 'TEXT') addComponent({ type: 'header', parameters: toParameters(header.text) });
  else if (header && ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(header.format)) {
    const type = header.format.toLowerCase();
    const link = isNamed ? variables[HEADER] : readNext();
    if (link !== undefined) addComponent({ type: 'header', parameters: [{ type, [type]: { link } }] });
  }
  const body = toParameters(shape.body);
  addComponent({ type: 'body', parameters: body });
  for (const [index, { type, url }] of shape.buttons.entries()) {
    const addButton = (subType: string, parameters: TemplateParameter[]) =>
      addComponent({ type: 'button', sub_type: subType, index: String(index), parameters });
    if (type === 'OTP')
      addButton(
        'url',
        body.slice(0, 1).map(({ text }) => ({ type: 'text', text: text ?? '' })),
      );
    else if (type === 'URL') addButton('url', toParameters(url));
    else if (type === 'COPY_CODE') {
      const code = readNext();
      if (code !== undefined) addButton('copy_code', [{ type: 'coupon_code', coupon_code: code }]);
    }
  }
  return components;
}
