import { Checkbox, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { text } from '../../text/en.js';
import type { DraftFields } from './draft-fields.js';

const words = text.templates;

interface CodeFieldsProps {
  fields: DraftFields;
  set(changes: Partial<DraftFields>): void;
  /** @param path path within a component, for example `buttons[0].text` */
  getProblem(type: string, path: string): string | undefined;
  onFieldBlur(type: string, path: string): void;
}

/** Meta provides the text of authentication templates, so only their code options are fields. */
export function CodeFields({ fields, set, getProblem, onFieldBlur }: CodeFieldsProps) {
  const app = 'buttons[0].supported_apps[0]';
  const input = (field: 'packageName' | 'signatureHash', path: string) => ({
    required: true,
    value: fields[field],
    error: getProblem('BUTTONS', path),
    onBlur: () => onFieldBlur('BUTTONS', path),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [field]: value.trim() }),
  });
  return (
    <>
      <Text size="sm" c="dimmed">
        {words.authHint}
      </Text>
      <Checkbox
        label={words.advice}
        checked={fields.advice}
        onChange={({ currentTarget: { checked } }) => set({ advice: checked })}
      />
      <NumberInput
        label={words.expires}
        min={1}
        max={90}
        allowDecimal={false}
        value={fields.expires}
        error={getProblem('FOOTER', 'code_expiration_minutes')}
        onChange={(value) => set({ expires: Number(value) })}
      />
      <Select
        label={words.otp}
        allowDeselect={false}
        data={Object.entries(words.otps).map(([value, label]) => ({ value, label }))}
        value={fields.otpType}
        onChange={(value) => value && set({ otpType: value as DraftFields['otpType'] })}
      />
      {fields.otpType !== 'COPY_CODE' && (
        <>
          <TextInput
            label={words.packageName}
            placeholder="com.example.shop"
            {...input('packageName', `${app}.package_name`)}
          />
          <TextInput
            label={words.signatureHash}
            placeholder="K8a/AINcGX7"
            {...input('signatureHash', `${app}.signature_hash`)}
          />
        </>
      )}
      {fields.otpType === 'ZERO_TAP' && (
        <Checkbox
          label={words.terms}
          checked={fields.termsAccepted}
          error={getProblem('BUTTONS', 'buttons[0].zero_tap_terms_accepted')}
          onChange={({ currentTarget: { checked } }) => set({ termsAccepted: checked })}
        />
      )}
    </>
  );
}

/**
 * Returns Meta's English text for authentication templates, which the server also stores until it fetches the real text from
 * Meta.
 */
export function codePreview({ advice, expires }: DraftFields) {
  const body = '*{{1}}* is your verification code.';
  return [
    { type: 'BODY', text: advice ? `${body} For your security, do not share this code.` : body },
    { type: 'FOOTER', text: `This code expires in ${expires} minutes.` },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', text: words.copyCode }] },
  ];
}
