import { limits } from '@watchline/contracts/limits'
import { getVideoDataStatus, previewImport } from '@watchline/contracts/playlist-imports'
import { fromOperation, gateway } from './gateway.ts'

/** What can be read from YouTube: every form that takes the address of a playlist asks. */
const videoDataApi = gateway.injectEndpoints({
  endpoints: build => ({
    getVideoDataStatus: build.query(fromOperation(getVideoDataStatus, { timeoutMs: limits.systemStatusMs })),
    previewImport: build.query(fromOperation(previewImport)),
  }),
})

export const { useGetVideoDataStatusQuery, useLazyPreviewImportQuery } = videoDataApi
