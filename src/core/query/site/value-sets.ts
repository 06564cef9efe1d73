import { words } from './words.js';

/** The named value sets of the catalogue. Site-dependent ones are defaults, which site options replace. */

export const REVISION_PROPS = words(
  'comment content contentmodel flags ids parsedcomment roles sha1 size slotsha1 slotsize tags timestamp user userid',
  'parsetree',
);

export const CONTENT_FORMATS = words(
  'application/json application/octet-stream application/unknown application/vue+xml application/x-binary text/css',
  'text/javascript text/plain text/unknown text/x-wiki unknown/unknown',
);

/** Site-dependent: the groups that a user can be assigned to. */
export const GROUPS = words('bot bureaucrat interface-admin push-subscription-manager suppress sysop');

/** Site-dependent: all rights of users and sessions. */
export const RIGHTS = words(
  'apihighlimits applychangetags autoconfirmed autocreateaccount autopatrol bigdelete block blockemail bot',
  'browsearchive changeemail changetags confirmemail createaccount createpage createtalk createwithcontentmodel',
  'delete delete-redirect deletechangetags deletedhistory deletedtext deletelogentry deleterevision echo-create',
  'echo-read-notifications edit editcontentmodel editinterface editmyoptions editmyprivateinfo editmyusercss',
  'editmyuserjs editmyuserjson editmyuserjsredirect editmywatchlist editprotected editsemiprotected editsitecss',
  'editsitejs editsitejson editusercss edituserjs edituserjson hideuser ignore-restricted-groups import importupload',
  'interwiki ipblock-exempt linkpurge logentryimport mailpassword manage-all-push-subscriptions managechangetags',
  'markbotedits mergehistory minoredit move move-categorypages move-rootuserpages move-subpages movefile',
  'nominornewtalk noratelimit nuke override-export-depth pagelang patrol patrolmarks protect purge read renameuser',
  'renameuser-global renderfile renderfile-nonstandard replacetext reupload reupload-own reupload-shared rollback',
  'sendemail siteadmin stashbasehtml stashedit suppressionlog suppressredirect suppressrevision thanks-notification',
  'unblockself undelete unwatchedpages upload upload_by_url userrights userrights-interwiki viewmyprivateinfo',
  'viewmywatchlist viewsuppressed',
);

/** Implicit rights of all users, which cannot be used as filters. */
export const IMPLICIT_RIGHTS = words(
  'changeemail confirmemail linkpurge mailpassword purge renderfile renderfile-nonstandard stashbasehtml stashedit',
  'thanks-notification',
);

type Right = (typeof RIGHTS)[number];
type ImplicitRight = (typeof IMPLICIT_RIGHTS)[number];

/** Site-dependent: the rights to filter contributors by, which are all but the implicit ones. */
export const CONTRIBUTOR_RIGHTS: readonly Exclude<Right, ImplicitRight>[] = RIGHTS.filter(
  (right): right is Exclude<Right, ImplicitRight> => !IMPLICIT_RIGHTS.some((implicit) => implicit === right),
);

/** Site-dependent: all content models. */
export const CONTENT_MODELS = words('GadgetDefinition Scribunto css javascript json text unknown vue wikitext');

/** Schemes of external links; the empty one stands for http and https. */
export const PROTOCOLS = [
  '',
  ...words(
    'bitcoin ftp ftps geo git gopher http https irc ircs magnet mailto matrix mms news nntp redis sftp sip sips sms ssh svn',
    'tel telnet urn wikipedia worldwind xmpp',
  ),
] as const;
