import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { ButtonsField } from './buttons-field.js';
import type { DraftFields, HeaderFormat } from './draft-fields.js';
import { ExampleField } from './example-field.js';

const BODY_LIMIT = 1024;
const OFFER_BODY_LIMIT = 600;
const words = text.templates;
const FILE_FORMATS: readonly string[] = ['IMAGE', 'VIDEO', 'DOCUMENT'];
const OFFER_FORMATS: readonly string[] = ['IMAGE', 'VIDEO'];
const BUTTON_TYPES = Object.keys(words.buttonTypes);

interface MessageFieldsProps {
  channelRef: ChannelRef;
  fields: DraftFields;
  set(changes: Partial<DraftFields>): void;
  /** @param path path within a component, for example `text` or `buttons[0].url` */
  getProblem(type: string, path: string): string | undefined;
  onFieldBlur(type: string, path: string): void;
  onPicture(slot: string, picture: string | null): void;
}

type TextField = 'headerText' | 'body' | 'footer' | 'offerText';

/** Fields of the message, which in a carousel is the text above the cards. */
export function MessageFields({ channelRef, fields, set, getProblem, onFieldBlur, onPicture }: MessageFieldsProps) {
  const { layout, headerFormat, body } = fields;
  const isOffer = layout === 'OFFER';
  const input = (field: TextField, type: string, path = 'text') => ({
    value: fields[field],
    error: getProblem(type, path),
    onBlur: () => onFieldBlur(type, path),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [field]: value }),
  });
  const formats = Object.entries(words.formats).filter(([format]) => !isOffer || OFFER_FORMATS.includes(format));
  const remainingCharacters = (isOffer ? OFFER_BODY_LIMIT : BODY_LIMIT) - [...body].length;
  return (
    <>
      {layout !== 'CAROUSEL' && (
        <Select
          label={words.header}
          allowDeselect={false}
          data={[{ value: 'NONE', label: words.noHeader }, ...formats.map(([value, label]) => ({ value, label }))]}
          value={headerFormat}
          error={getProblem('HEADER', 'format')}
          onChange={(value) => {
            if (value) set({ headerFormat: value as HeaderFormat, headerExample: '' });
            onPicture('header', null);
          }}
        />
      )}
      {layout === 'PLAIN' && headerFormat === 'TEXT' && (
        <TextInput
          label={words.headerText}
          description={words.headerHint}
          required
          {...input('headerText', 'HEADER')}
        />
      )}
      {layout !== 'CAROUSEL' && FILE_FORMATS.includes(headerFormat) && (
        <ExampleField
          channelRef={channelRef}
          label={words.exampleFile(words.formats[headerFormat as 'IMAGE'])}
          format={headerFormat}
          value={fields.headerExample}
          error={getProblem('HEADER', 'example') ?? getProblem('HEADER', 'example.header_handle')}
          onFieldBlur={() => onFieldBlur('HEADER', 'example')}
          onChange={(headerExample, picture) => {
            set({ headerExample });
            onPicture('header', picture);
          }}
        />
      )}
      {isOffer && (
        <>
          <TextInput
            label={words.offerText}
            description={words.offerTextHint}
            required
            {...input('offerText', 'LIMITED_TIME_OFFER', 'limited_time_offer.text')}
          />
          <Checkbox
            label={words.offerEndsLabel}
            checked={fields.offerEnds}
            onChange={({ currentTarget: { checked } }) => set({ offerEnds: checked })}
          />
        </>
      )}
      <Textarea
        label={words.body}
        description={words.bodyHint(formatNumber(remainingCharacters))}
        required
        autosize
        minRows={layout === 'CAROUSEL' ? 2 : 4}
        {...input('body', 'BODY')}
      />
      {layout === 'PLAIN' && (
        <TextInput label={words.footer} description={words.footerHint} {...input('footer', 'FOOTER')} />
      )}
      {layout !== 'CAROUSEL' && (
        <ButtonsField
          legend={words.buttons}
          hint={isOffer ? words.buttonsOfOfferHint : words.buttonsHint}
          types={isOffer ? ['COPY_CODE', 'URL'] : BUTTON_TYPES}
          max={isOffer ? 2 : 10}
          buttons={fields.buttons}
          onChange={(buttons) => set({ buttons })}
          getProblem={(path) => getProblem('BUTTONS', `buttons${path}`)}
          onFieldBlur={(path) => onFieldBlur('BUTTONS', `buttons${path}`)}
        />
      )}
    </>
  );
}
