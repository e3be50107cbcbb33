import { getMailLanguages, saveMailLanguages } from '@watchline/contracts/mail-languages'
import {
  getReminderSettings,
  listMailWordings,
  previewMailWording,
  saveMailWording,
  saveReminderSettings,
} from '@watchline/contracts/mail-settings'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const mailSettingsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getMailLanguages: build.query(fromOperation(getMailLanguages)),
    saveMailLanguages: build.mutation(fromOperation(saveMailLanguages)),
    listMailWordings: build.query(fromOperation(listMailWordings)),
    saveMailWording: build.mutation(fromOperation(saveMailWording)),
    getReminderSettings: build.query(fromOperation(getReminderSettings)),
    saveReminderSettings: build.mutation(fromOperation(saveReminderSettings)),
    previewMailWording: build.mutation(fromOperation(previewMailWording)),
  }),
})

export const {
  useGetMailLanguagesQuery,
  useSaveMailLanguagesMutation,
  useListMailWordingsQuery,
  useSaveMailWordingMutation,
  usePreviewMailWordingMutation,
  useGetReminderSettingsQuery,
  useSaveReminderSettingsMutation,
} = mailSettingsApi
