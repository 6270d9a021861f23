import { ActionIcon, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { type ButtonFields, newButton } from './draft-fields.js';
import { ListEnd } from './list-end.js';

const words = text.templates;
const TYPES: Readonly<Record<string, string>> = words.buttonTypes;
/** Types of product buttons, whose labels Meta sets. */
const FIXED_LABEL_TYPES: readonly string[] = ['CATALOG', 'MPM', 'SPM'];

interface ButtonsFieldProps {
  /** Legend, for example `Buttons` or `Buttons of card 1`. */
  legend: string;
  card?: number;
  hint: string;
  types: readonly string[];
  max: number;
  buttons: readonly ButtonFields[];
  onChange(buttons: ButtonFields[]): void;
  /** @param path path below the buttons: empty, `[0]` or `[0].text` */
  getProblem(path: string): string | undefined;
  onFieldBlur(path: string): void;
}

export function ButtonsField({
  legend,
  card,
  hint,
  types,
  max,
  buttons,
  onChange,
  getProblem,
  onFieldBlur,
}: ButtonsFieldProps) {
  const change = (key: number, changes: Partial<ButtonFields>) =>
    onChange(buttons.map((button) => (button.key === key ? { ...button, ...changes } : button)));
  // A button's accessible name includes its card, because the page shows the buttons of all cards.
  const buttonName = (position: number) =>
    card === undefined ? words.buttonNo(position) : words.ofCard(card, words.buttonNo(position));
  return (
    <Fieldset legend={legend}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
        {buttons.map((button, index) => {
          const { key, type } = button;
          const buttonPath = `[${index}]`;
          const input = (field: 'text' | 'url' | 'phone' | 'flow', path: string) => ({
            flex: 1,
            miw: 150,
            value: button[field],
            error: getProblem(path),
            onBlur: () => onFieldBlur(path),
            onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
              change(key, { [field]: value }),
          });
          // If the form does not support a button's type, the type is kept.
          const offeredTypes = types.includes(type) ? types : [...types, type];
          return (
            <Group key={key} align="flex-start" gap="xs" component="section" aria-label={buttonName(index + 1)}>
              <Select
                label={words.type}
                w={165}
                allowDeselect={false}
                data={offeredTypes.map((value) => ({ value, label: TYPES[value] ?? value }))}
                value={type}
                error={getProblem(buttonPath) ?? getProblem(`${buttonPath}.type`)}
                onChange={(value) => value && change(key, { type: value })}
              />
              {!FIXED_LABEL_TYPES.includes(type) && (
                <TextInput
                  {...input('text', `${buttonPath}.text`)}
                  label={words.buttonText}
                  miw={130}
                  placeholder={words.buttonTextHint}
                />
              )}
              {type === 'URL' && (
                <TextInput
                  {...input('url', `${buttonPath}.url`)}
                  label={words.url}
                  placeholder="https://example.com/{{1}}"
                />
              )}
              {type === 'PHONE_NUMBER' && (
                <TextInput
                  {...input('phone', `${buttonPath}.phone_number`)}
                  label={words.phone}
                  placeholder="+15005550100"
                  inputMode="tel"
                />
              )}
              {type === 'FLOW' && <TextInput {...input('flow', buttonPath)} label={words.flowId} />}
              <ActionIcon
                mt={{ base: 0, sm: 26 }}
                size="lg"
                aria-label={words.removeButton(index + 1)}
                onClick={() => onChange(buttons.filter((button) => button.key !== key))}
              >
                <Icon name="trash" />
              </ActionIcon>
            </Group>
          );
        })}
        <ListEnd
          problem={getProblem('')}
          add={words.addButton}
          onAdd={buttons.length < max ? () => onChange([...buttons, newButton()]) : undefined}
        />
      </Stack>
    </Fieldset>
  );
}
