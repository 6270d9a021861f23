import { ActionIcon, Button, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { type ButtonFields, type ButtonType, newButton } from './draft.js';

const MOST = 10;
const words = text.templates;

interface ButtonsFieldProps {
  buttons: readonly ButtonFields[];
  onChange(buttons: ButtonFields[]): void;
  /** @param path below the buttons: empty, `[0]` or `[0].text` */
  problemOf(path: string): string | undefined;
  onLeft(path: string): void;
}

/** The buttons of a template. */
export function ButtonsField({ buttons, onChange, problemOf, onLeft }: ButtonsFieldProps) {
  const change = (key: number, changes: Partial<ButtonFields>) =>
    onChange(buttons.map((button) => (button.key === key ? { ...button, ...changes } : button)));
  return (
    <Fieldset legend={words.buttons}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {words.buttonsHint}
        </Text>
        {buttons.map((button, index) => {
          const { key, type } = button;
          const at = `[${index}]`;
          const input = (field: 'text' | 'url' | 'phone', path: string) => ({
            value: button[field],
            error: problemOf(path),
            onBlur: () => onLeft(path),
            onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
              change(key, { [field]: value }),
          });
          return (
            <Group key={key} align="flex-start" gap="xs" component="section" aria-label={words.buttonNo(index + 1)}>
              <Select
                label={words.type}
                w={150}
                allowDeselect={false}
                data={Object.entries(words.buttonTypes).map(([value, label]) => ({ value, label }))}
                value={type}
                error={problemOf(at)}
                onChange={(value) => value && change(key, { type: value as ButtonType })}
              />
              <TextInput
                label={words.buttonText}
                flex={1}
                miw={130}
                placeholder={words.buttonTextHint}
                {...input('text', `${at}.text`)}
              />
              {type === 'URL' && (
                <TextInput
                  label={words.url}
                  flex={1}
                  miw={150}
                  placeholder="https://example.com/{{1}}"
                  {...input('url', `${at}.url`)}
                />
              )}
              {type === 'PHONE_NUMBER' && (
                <TextInput
                  label={words.phone}
                  flex={1}
                  miw={150}
                  placeholder="+15005550100"
                  inputMode="tel"
                  {...input('phone', `${at}.phone_number`)}
                />
              )}
              <ActionIcon
                mt={26}
                size="lg"
                aria-label={words.removeButton(index + 1)}
                onClick={() => onChange(buttons.filter((each) => each.key !== key))}
              >
                <Icon name="trash" />
              </ActionIcon>
            </Group>
          );
        })}
        {problemOf('') && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {problemOf('')}
          </Text>
        )}
        {buttons.length < MOST && (
          <div>
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => onChange([...buttons, newButton()])}
            >
              {words.addButton}
            </Button>
          </div>
        )}
      </Stack>
    </Fieldset>
  );
}
