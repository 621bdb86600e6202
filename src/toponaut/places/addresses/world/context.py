"""Signs near a line that it belongs to an address: a contact label, a phone number, a web address.

A street without a type beside a town without a postcode ("Dao 273 / Marikina") is believed only
next to one of them.
"""

import re

_BEFORE, _AFTER = 160, 160  # characters: a heading and one or two lines
_LABELS = re.compile(
    r"(?i)contact|kontakt|contatt|contato|yhteys|adres|addres|direcci|indirizz|endere[cç]|morada"
    r"|osoite|\bcím|aadress|naslov|heimilisfang|visit us|visiting|find us|locat|where we|anfahrt"
    r"|impressum|imprint|besuch|besök|address|store|office|branch|headquarter|showroom|sede|siège"
    r"|venue|ubicaci|localiza|locatie|alamat|địa chỉ|liên hệ|iletişim|адрес|контакт|адреса|как нас"
    r"|зв.язок|地址|聯絡|联系|住所|所在地|アクセス|연락처|주소|오시는|العنوان|عنوان|اتصل|تواصل|כתובת"
    r"|צור קשר|διεύθυνση|επικοινων|մեր հասցե|հասցե|კონტაქტ|მისამართ|ที่อยู่|ติดต่อ|पता|সংযোগ|ঠিকানা"
    r"|əlaqə|ünvan|manzil|мекен|дарек|суроға"
)
_REACH = re.compile(
    r"(?i)\b(?:tel|phone|fon|telefon\w*|fax|mob(?:il\w*)?|tlf|puh|tfn|gsm|e-?mail|www)\b|\S@\S|☎|✆"
    r"|\+\d{1,3}[\s(\d]|\b0\d{1,4}[\s/-]\d|тел|факс|電話|电话|전화|هاتف|טלפון|τηλ"
)


def is_contact(text: str, start: int, end: int) -> bool:
    """Whether the surroundings of a span speak of an address."""
    before = text[max(0, start - _BEFORE) : start]
    if _LABELS.search(before):
        return True
    return bool(_REACH.search(text, end, end + _AFTER) or _REACH.search(before))
