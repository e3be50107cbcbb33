import { acceptAdminInvitation } from './accept-admin-invitation.ts'
import { addFirstFactor } from './add-first-factor.ts'
import { addGroupMembers } from './add-group-members.ts'
import { addSecondFactor } from './add-second-factor.ts'
import { applyImport } from './apply-import.ts'
import { backchannelLogout } from './backchannel-logout.ts'
import { beginFirstFactor } from './begin-first-factor.ts'
import { beginPasskeyLogin } from './begin-passkey-login.ts'
import { beginSecondFactor } from './begin-second-factor.ts'
import { changeAdminPassword } from './change-admin-password.ts'
import { changeManager } from './change-manager.ts'
import { changeRole } from './change-role.ts'
import { changeStatus } from './change-status.ts'
import { changeSupervisor } from './change-supervisor.ts'
import { checkAdminInvitation } from './check-admin-invitation.ts'
import { checkImport } from './check-import.ts'
import { completeAdminLogin } from './complete-admin-login.ts'
import { countUsers } from './count-users.ts'
import { createGroup } from './create-group.ts'
import { createImport } from './create-import.ts'
import { deleteGroup } from './delete-group.ts'
import { deleteUser } from './delete-user.ts'
import { endOtherOwnSessions } from './end-other-own-sessions.ts'
import { endOwnSession } from './end-own-session.ts'
import { endSessionsOfUser } from './end-sessions-of-user.ts'
import { eraseUser } from './erase-user.ts'
import { exportAccountData } from './export-account-data.ts'
import { exportAudit } from './export-audit.ts'
import { getAdminInvitation } from './get-admin-invitation.ts'
import { getAdminProfile } from './get-admin-profile.ts'
import { getClaimRules } from './get-claim-rules.ts'
import { getFailedSignIns } from './get-failed-sign-ins.ts'
import { getGroup } from './get-group.ts'
import { getGroupSnapshot } from './get-group-snapshot.ts'
import { getImport } from './get-import.ts'
import { getOwnAccount } from './get-own-account.ts'
import { getPersonSnapshot } from './get-person-snapshot.ts'
import { getPicture } from './get-picture.ts'
import { getPrivacyNotice } from './get-privacy-notice.ts'
import { getProfile } from './get-profile.ts'
import { getSecondFactors } from './get-second-factors.ts'
import { getSignInFailure } from './get-sign-in-failure.ts'
import { getSystemStatus } from './get-system-status.ts'
import { importGroupMembers } from './import-group-members.ts'
import { inviteAdministrator } from './invite-administrator.ts'
import { listAdministrators } from './list-administrators.ts'
import { listAudit } from './list-audit.ts'
import { listErasures } from './list-erasures.ts'
import { listGroupChoices } from './list-group-choices.ts'
import { listGroupClaims } from './list-group-claims.ts'
import { listGroupMemberIds } from './list-group-member-ids.ts'
import { listGroupMembers } from './list-group-members.ts'
import { listGroups } from './list-groups.ts'
import { listGroupsOfPeople } from './list-groups-of-people.ts'
import { listManagers } from './list-managers.ts'
import { listOwnRequests } from './list-own-requests.ts'
import { listOwnSupervisors } from './list-own-supervisors.ts'
import { listPersonSnapshots } from './list-person-snapshots.ts'
import { listPersonSnapshotsById } from './list-person-snapshots-by-id.ts'
import { listSupervisorRequests } from './list-supervisor-requests.ts'
import { listSupervisors } from './list-supervisors.ts'
import { listTeam } from './list-team.ts'
import { listTokenKeys } from './list-token-keys.ts'
import { listUsers } from './list-users.ts'
import { login } from './login.ts'
import { loginAdmin } from './login-admin.ts'
import { logout } from './logout.ts'
import { logoutAdmin } from './logout-admin.ts'
import { previewClaimRules } from './preview-claim-rules.ts'
import { previewGroupImport } from './preview-group-import.ts'
import { refreshSession } from './refresh-session.ts'
import { removeAdministrator } from './remove-administrator.ts'
import { removeGroupMembers } from './remove-group-members.ts'
import { removeSecondFactor } from './remove-second-factor.ts'
import { replaceRecoveryCodes } from './replace-recovery-codes.ts'
import { requestSupervisor } from './request-supervisor.ts'
import { returnSupervisor } from './return-supervisor.ts'
import { reviewSupervisorRequest } from './review-supervisor-request.ts'
import { saveClaimRules } from './save-claim-rules.ts'
import { setupAdmin } from './setup-admin.ts'
import { signIn } from './sign-in.ts'
import { signInCallback } from './sign-in-callback.ts'
import { signInOptions } from './sign-in-options.ts'
import { updateGroup } from './update-group.ts'
import { uploadImportPart } from './upload-import-part.ts'
import { withdrawAdminInvitation } from './withdraw-admin-invitation.ts'
import { withdrawRequest } from './withdraw-request.ts'

export const routes = [
  signIn,
  signInCallback,
  signInOptions,
  getSignInFailure,
  getPrivacyNotice,
  listTokenKeys,
  login,
  getProfile,
  getPicture,
  getOwnAccount,
  endOwnSession,
  endOtherOwnSessions,
  refreshSession,
  logout,
  backchannelLogout,
  setupAdmin,
  loginAdmin,
  beginPasskeyLogin,
  completeAdminLogin,
  beginFirstFactor,
  addFirstFactor,
  getAdminProfile,
  logoutAdmin,
  changeAdminPassword,
  getSecondFactors,
  beginSecondFactor,
  addSecondFactor,
  removeSecondFactor,
  replaceRecoveryCodes,
  listAdministrators,
  inviteAdministrator,
  withdrawAdminInvitation,
  removeAdministrator,
  checkAdminInvitation,
  acceptAdminInvitation,
  listUsers,
  countUsers,
  listSupervisors,
  listManagers,
  changeRole,
  changeSupervisor,
  changeManager,
  changeStatus,
  deleteUser,
  endSessionsOfUser,
  exportAccountData,
  eraseUser,
  listErasures,
  listSupervisorRequests,
  reviewSupervisorRequest,
  requestSupervisor,
  listOwnRequests,
  withdrawRequest,
  listOwnSupervisors,
  returnSupervisor,
  listAudit,
  exportAudit,
  getFailedSignIns,
  getSystemStatus,
  getClaimRules,
  saveClaimRules,
  previewClaimRules,
  createImport,
  uploadImportPart,
  checkImport,
  applyImport,
  getImport,
  listTeam,
  listGroups,
  listGroupChoices,
  listGroupClaims,
  getGroup,
  createGroup,
  updateGroup,
  deleteGroup,
  listGroupMembers,
  addGroupMembers,
  removeGroupMembers,
  previewGroupImport,
  importGroupMembers,
]

export const internalRoutes = [
  listPersonSnapshots,
  getPersonSnapshot,
  listPersonSnapshotsById,
  listGroupMemberIds,
  getGroupSnapshot,
  listGroupsOfPeople,
  getAdminInvitation,
]
