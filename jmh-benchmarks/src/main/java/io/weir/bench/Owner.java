package io.weir.bench;

/** Which member owns a key. */
public enum Owner {

    /** Another than the caller, with the backup on the third. */
    ANOTHER,

    /** The caller: nobody has to be asked, and only the backup be told. */
    CALLER
}
