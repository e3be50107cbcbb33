import { getClaimRules, previewClaimRules, saveClaimRules } from '@watchline/contracts/claim-rules'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const claimRulesApi = gateway.injectEndpoints({
  endpoints: build => ({
    getClaimRules: build.query(fromOperation(getClaimRules)),
    saveClaimRules: build.mutation(fromOperation(saveClaimRules)),
    previewClaimRules: build.mutation(fromOperation(previewClaimRules)),
  }),
})

export const { useGetClaimRulesQuery, useSaveClaimRulesMutation, usePreviewClaimRulesMutation } = claimRulesApi
