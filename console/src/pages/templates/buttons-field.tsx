import { ActionIcon, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { type ButtonFields, newButton } from './draft-fields.js';
import { ListEnd } from './list-end.js';

const words = text.templates;
const TYPES: Readonly<Record<string, string>> = words.buttonTypes;
/** Buttons that only the templates of products have, and say in Meta's words what they do. */
const WORDED: readonly string[] = ['CATALOG', 'MPM', 'SPM'];

interface ButtonsFieldProps {
  /** How they are called: `Buttons`, `Buttons of card 1`. */
  legend: string;
  /** The card that they are on, from 1; left out for the template itself. */
  card?: number;
  hint: string;
  /** The types that may be chosen. */
  types: readonly string[];
  most: number;
  buttons: readonly ButtonFields[];
  onChange(buttons: ButtonFields[]): void;
  /** @param path below the buttons: empty, `[0]` or `[0].text` */
  problemOf(path: string): string | undefined;
  onLeft(path: string): void;
}

/** The buttons of a template, or of a card of its carousel. */
export function ButtonsField({
  legend,
  card,
  hint,
  types,
  most,
  buttons,
  onChange,
  problemOf,
  onLeft,
}: ButtonsFieldProps) {
  const change = (key: number, changes: Partial<ButtonFields>) =>
    onChange(buttons.map((button) => (button.key === key ? { ...button, ...changes } : button)));
  // Those of several cards stand on one page.
  const nameOf = (place: number) =>
    card === undefined ? words.buttonNo(place) : words.ofCard(card, words.buttonNo(place));
  return (
    <Fieldset legend={legend}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
        {buttons.map((button, index) => {
          const { key, type } = button;
          const at = `[${index}]`;
          const input = (field: 'text' | 'url' | 'phone' | 'flow', path: string) => ({
            flex: 1,
            miw: 150,
            value: button[field],
            error: problemOf(path),
            onBlur: () => onLeft(path),
            onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
              change(key, { [field]: value }),
          });
          // One that Meta has by now and this form has not stays what it is.
          const offered = types.includes(type) ? types : [...types, type];
          return (
            <Group key={key} align="flex-start" gap="xs" component="section" aria-label={nameOf(index + 1)}>
              <Select
                label={words.type}
                w={165}
                allowDeselect={false}
                data={offered.map((value) => ({ value, label: TYPES[value] ?? value }))}
                value={type}
                error={problemOf(at) ?? problemOf(`${at}.type`)}
                onChange={(value) => value && change(key, { type: value })}
              />
              {!WORDED.includes(type) && (
                <TextInput
                  {...input('text', `${at}.text`)}
                  label={words.buttonText}
                  miw={130}
                  placeholder={words.buttonTextHint}
                />
              )}
              {type === 'URL' && (
                <TextInput {...input('url', `${at}.url`)} label={words.url} placeholder="https://example.com/{{1}}" />
              )}
              {type === 'PHONE_NUMBER' && (
                <TextInput
                  {...input('phone', `${at}.phone_number`)}
                  label={words.phone}
                  placeholder="+15005550100"
                  inputMode="tel"
                />
              )}
              {type === 'FLOW' && <TextInput {...input('flow', at)} label={words.flowId} />}
              <ActionIcon
                mt={{ base: 0, sm: 26 }}
                size="lg"
                aria-label={words.removeButton(index + 1)}
                onClick={() => onChange(buttons.filter((each) => each.key !== key))}
              >
                <Icon name="trash" />
              </ActionIcon>
            </Group>
          );
        })}
        <ListEnd
          problem={problemOf('')}
          add={words.addButton}
          onAdd={buttons.length < most ? () => onChange([...buttons, newButton()]) : undefined}
        />
      </Stack>
    </Fieldset>
  );
}
