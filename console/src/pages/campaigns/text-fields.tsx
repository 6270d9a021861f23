import { Group, Text, Textarea, TextInput } from '@mantine/core';
import { findFieldProblem } from '../../api/client/request.js';
import { PlaceholderMenu } from '../../shared/templates/placeholder-menu.js';
import { text } from '../../text/en.js';

const words = text.campaigns;

export interface TextValues {
  text: string;
  /** Empty: no line. */
  optOutLine: string;
}

interface TextFieldsProps {
  values: TextValues;
  error: unknown;
  onChange(changes: Partial<TextValues>): void;
}

/** The message of a campaign on an SMS channel. */
export function TextFields({ values, error, onChange }: TextFieldsProps) {
  return (
    <>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Textarea
          flex={1}
          label={words.text}
          description={words.textHint}
          required
          autosize
          minRows={3}
          maxRows={10}
          value={values.text}
          error={findFieldProblem(error, 'text')}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
        <PlaceholderMenu
          label={words.text}
          onChoose={(placeholder) => onChange({ text: `${values.text}${placeholder}` })}
        />
      </Group>
      <TextInput
        label={words.optOutLine}
        description={words.optOutLineHint}
        value={values.optOutLine}
        error={findFieldProblem(error, 'optOutLine')}
        onChange={(event) => onChange({ optOutLine: event.currentTarget.value })}
      />
      <Text size="sm" c="dimmed">
        {words.segmentsHint}
      </Text>
    </>
  );
}
