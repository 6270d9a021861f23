import { ActionIcon, Blockquote, Group, Menu, Stack, TextInput } from '@mantine/core';
import { ApiError } from '../../api/request.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { type Components, componentsOfSend, fillText, readTemplate, type Slot } from './template-parts.js';

const words = text.campaigns;

/** What may stand in a parameter for each contact. */
const PLACEHOLDERS = ['{{contact.name|there}}', '{{contact.phone}}', '{{contact.email}}'] as const;

interface ParameterFieldsProps {
  template: Components;
  slots: readonly Slot[];
  values: Readonly<Record<string, string>>;
  /** What the server refused, whose fields name the components of the send. */
  error?: unknown;
  /** Where the components stand in the request: `components`, or `steps[1].components`. */
  root?: string;
  /** Further placeholders that may be inserted. */
  more?: readonly string[];
  onChange(values: Readonly<Record<string, string>>): void;
}

/** A field for each parameter of a template, with the text that they stand in. */
export function ParameterFields({ template, slots, values, error, root, more = [], onChange }: ParameterFieldsProps) {
  const { header, body } = readTemplate(template);
  const problems = problemsBySlot(slots, error, root ?? 'components');
  return (
    <Stack gap="sm">
      <Blockquote p="sm" radius="md" color="gray" aria-label={words.preview}>
        {header?.text && <strong>{fillText(header.text, 'header', values)}</strong>}
        <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{fillText(body, 'body', values)}</div>
      </Blockquote>
      {slots.map((slot) => {
        const label = words.parameter(slot);
        const value = values[slot.id] ?? '';
        return (
          <Group key={slot.id} gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              flex={1}
              label={label}
              value={value}
              required
              placeholder={slot.example}
              error={problems.get(slot.id)}
              onChange={(event) => onChange({ ...values, [slot.id]: event.currentTarget.value })}
            />
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon size="lg" variant="default" aria-label={words.insertInto(label)}>
                  <Icon name="plus" />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {[...PLACEHOLDERS, ...more].map((placeholder) => (
                  <Menu.Item
                    key={placeholder}
                    onClick={() => onChange({ ...values, [slot.id]: `${value}${placeholder}` })}
                  >
                    {placeholder}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </Group>
        );
      })}
    </Stack>
  );
}

/** The server names components and parameters by their places; the form names slots. */
function problemsBySlot(slots: readonly Slot[], error: unknown, root: string): Map<string, string> {
  const found = new Map<string, string>();
  if (!(error instanceof ApiError)) return found;
  const marked = componentsOfSend(slots, Object.fromEntries(slots.map(({ id }) => [id, id])));
  for (const [at, { parameters = [] }] of marked.entries()) {
    for (const [index, parameter] of parameters.entries()) {
      const path = `${root}[${at}].parameters[${index}]`;
      const problem = error.details.find(({ field }) => field.startsWith(path));
      const slot = slots.find(({ id }) => JSON.stringify(parameter).includes(JSON.stringify(id)));
      if (problem && slot) found.set(slot.id, problem.message);
    }
  }
  return found;
}
